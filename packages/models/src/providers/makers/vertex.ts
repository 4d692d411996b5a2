/** Vertex serves Gemini, and Claude through a door of its own. */
import { type Environment, variable } from '../../secrets/environment.ts';
import { firstOf } from '../settings.ts';

type Fields = Readonly<Record<string, unknown>>;

export function isClaude(model: string): boolean {
  return model.startsWith('claude-');
}

/** Without a key, the login of Google Cloud on this machine is used. */
export function geminiFields(environment: Environment): Fields {
  const baseURL = variable(environment, 'GOOGLE_VERTEX_BASE_URL')?.replace(/\/+$/, '');
  const apiKey = variable(environment, 'GOOGLE_VERTEX_API_KEY');
  return {
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...placeIn(environment),
  };
}

/** A key is not taken there. */
export function claudeFields(environment: Environment): Fields {
  const { project, location } = placeIn(environment);
  if (project === undefined) {
    throw new Error('Claude on Vertex needs a project of Google Cloud: set GOOGLE_VERTEX_PROJECT');
  }
  const own = variable(environment, 'ANTHROPIC_VERTEX_BASE_URL')?.replace(/\/+$/, '');
  const path = `projects/${project}/locations/${location}/publishers/anthropic/models`;
  return { project, location, ...(own === undefined ? {} : { baseURL: `${own}/${path}` }) };
}

function placeIn(environment: Environment): { readonly project?: string; readonly location: string } {
  const project = firstOf(['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'], environment)?.value;
  const location = firstOf(['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'], environment)?.value;
  return { location: location ?? 'global', ...(project === undefined ? {} : { project }) };
}
