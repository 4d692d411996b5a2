// `npm run generate`: writes the JSON Schemas of the built-in tools, so that the schema library is not needed at start-up, and the
// reference of settings.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { referenceFiles } from '@heddle/agent/reference';
import { renderSchemas } from '@heddle/tools/schemas';

writeFileSync(path.join(import.meta.dirname, '../packages/tools/src/generated/schemas.ts'), renderSchemas());
for (const [name, text] of Object.entries(referenceFiles()))
  writeFileSync(path.join(import.meta.dirname, '../docs', name), text);
