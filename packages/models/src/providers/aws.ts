/**
 * Credentials for Bedrock: its own key, those in the environment, or those that AWS's own package finds.
 */
import { type Environment, readVariable } from '../secrets/environment.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { loadPackage } from './load.ts';
import { AWS_CREDENTIALS } from '../provider.ts';
import { findFirstSet } from './settings.ts';
import { omitUndefined } from '@heddle/core';

type Fields = Readonly<Record<string, unknown>>;

/** Throws if the package is needed and not installed. */
export async function findAwsCredentials(
  environment: Environment,
  configFolder: string,
  secrets: Secrets,
): Promise<Fields> {
  const region = findFirstSet(['AWS_REGION', 'AWS_DEFAULT_REGION'], environment)?.value;
  const place = region === undefined ? {} : { region };
  const apiKey = readVariable(environment, 'AWS_BEARER_TOKEN_BEDROCK');
  if (apiKey !== undefined) return { ...place, apiKey };
  const accessKeyId = readVariable(environment, 'AWS_ACCESS_KEY_ID');
  if (accessKeyId === undefined) {
    return { ...place, credentialProvider: await foundByAws(environment, configFolder, secrets) };
  }
  const secretAccessKey = readVariable(environment, 'AWS_SECRET_ACCESS_KEY');
  const sessionToken = readVariable(environment, 'AWS_SESSION_TOKEN');
  return {
    ...place,
    accessKeyId,
    ...omitUndefined({ secretAccessKey, sessionToken }),
  };
}

type Find = () => Promise<unknown>;

/** Called before every request. The package caches its result until it expires. */
async function foundByAws(environment: Environment, configFolder: string, secrets: Secrets): Promise<Find> {
  const { fromNodeProviderChain: chain } = await loadPackage(AWS_CREDENTIALS, configFolder);
  const profile = readVariable(environment, 'AWS_PROFILE');
  const region = findFirstSet(['AWS_REGION', 'AWS_DEFAULT_REGION'], environment)?.value;
  const wishes = { ...omitUndefined({ profile }), clientConfig: { region } };
  const find: unknown = isChain(chain) ? chain(wishes) : undefined;
  if (!isFind(find))
    throw new Error(`${AWS_CREDENTIALS.name} has no fromNodeProviderChain: install another version of it`);
  return async () => {
    const found = await find();
    for (const value of Object.values(found ?? {})) if (typeof value === 'string') secrets.add(value);
    return found;
  };
}

function isChain(value: unknown): value is (wishes: object) => unknown {
  return typeof value === 'function';
}

function isFind(value: unknown): value is Find {
  return typeof value === 'function';
}
