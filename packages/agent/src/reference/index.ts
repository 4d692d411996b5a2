/** The reference of settings and environment variables, generated from the tables that read them. */
export { referenceFiles } from './render-reference.ts';
export { settingsSchema } from './settings-schema.ts';
