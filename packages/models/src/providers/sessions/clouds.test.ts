/** Claude on Vertex with a Google login, and Bedrock with credentials that AWS's own package finds. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { answer, call, say, startFakeProvider, think } from '@heddle/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { chooseModel } from '../../choose.ts';
import { ask, failureOf, requestTo } from '../../test/bridge.ts';
import { listening } from '../../test/listen.ts';
import { closeStages, closing, textIn } from '../../test/stage-api.ts';
import { conversationOf, runOn } from '../../test/wires.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'heddle-clouds-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
afterEach(async () => {
  vi.unstubAllEnvs();
  await closeStages();
});

describe('Claude on Vertex', () => {
  const wire = {
    id: 'vertex',
    model: 'vertex/claude-sonnet-5',
    format: 'vertex-messages',
    path: '/v1',
    addressVariable: 'ANTHROPIC_VERTEX_BASE_URL',
    environment: { GOOGLE_VERTEX_PROJECT: 'my-project', GOOGLE_VERTEX_LOCATION: 'europe-west1' },
  } as const;

  /** A workload that exchanges its own token for a Google token, at an address that the file names. */
  async function logIn(): Promise<void> {
    const google = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const token = { access_token: 'ya29.of-google', token_type: 'Bearer', expires_in: 3_600 };
      response.end(
        JSON.stringify({ ...token, issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }),
      );
    });
    const { port } = await listening(google);
    writeFileSync(path.join(home, 'own-token'), 'mine');
    const credentials = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `http://127.0.0.1:${port}/v1/token`,
      credential_source: { file: path.join(home, 'own-token') },
    };
    writeFileSync(path.join(home, 'google.json'), JSON.stringify(credentials));
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', path.join(home, 'google.json'));
  }

  it('has the same session as every provider, and gets its thinking back as signed', async () => {
    await logIn();
    const { events, terminal, server } = await runOn(wire, [
      answer(think('Let me see.'), call('Look', { at: 'a' }, 't1')),
      say('Seen.'),
    ]);
    expect(terminal).toMatchObject({ reason: 'completed' });
    expect(conversationOf(events)).toEqual([
      'assistant: Look {"at":"a"}',
      'user: seen a',
      'assistant: Seen.',
    ]);
    expect(server.requests[1]).toMatchObject({
      path: '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/claude-sonnet-5:streamRawPredict',
      headers: { authorization: 'Bearer ya29.of-google' },
      body: { anthropic_version: 'vertex-2023-10-16', stream: true },
    });
    const body = JSON.stringify(server.requests[1]?.body);
    expect(body).toContain('{"type":"thinking","thinking":"Let me see.","signature":"signed-11"}');
    expect(body).toContain('"cache_control":{"type":"ephemeral"}');
  });

  it('reports missing settings', async () => {
    const environment = { GOOGLE_VERTEX_API_KEY: 'a-key-of-vertex', HOME: home };
    const chosen = await chooseModel(wire.model, {}, { environment });
    if (!chosen.ok) throw new Error(chosen.message);
    const error = await failureOf(chosen.port, requestTo({ model: chosen.name }));
    expect(error.message).toBe('Claude on Vertex needs a project of Google Cloud: set GOOGLE_VERTEX_PROJECT');
  });

  it('explains how to log in if there is no login', async () => {
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
    vi.stubEnv('CLOUDSDK_CONFIG', path.join(home, 'no-such-folder'));
    vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
    const environment = {
      GOOGLE_VERTEX_PROJECT: 'p',
      ANTHROPIC_VERTEX_BASE_URL: 'http://127.0.0.1:9',
      HOME: home,
    };
    const chosen = await chooseModel(wire.model, {}, { environment });
    if (!chosen.ok) throw new Error(chosen.message);
    const error = await failureOf(chosen.port, requestTo({ model: chosen.name }));
    expect(error).toMatchObject({ class: 'auth' });
    expect(error.message).toContain('gcloud auth application-default login');
  });
});

describe('Bedrock with a profile', () => {
  const NAME = '@aws-sdk/credential-providers';
  const profile = { AWS_PROFILE: 'work', AWS_REGION: 'eu-central-1' };

  /** Replaces AWS's package, so that no test needs the cloud. */
  function install(folder: string, code: string): string {
    const own = path.join(home, folder, 'node_modules', NAME);
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(own, 'index.js'), code);
    writeFileSync(
      path.join(own, 'package.json'),
      JSON.stringify({ name: NAME, type: 'module', exports: './index.js' }),
    );
    return path.join(home, folder);
  }

  it('explains how to install the package that finds its credentials', async () => {
    const environment = { ...profile, HEDDLE_CONFIG_DIR: path.join(home, 'empty') };
    expect(await chooseModel('bedrock/anthropic.claude-sonnet-5', {}, { environment })).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /credential-providers is not installed\. Install it with:\nnpm install --prefix .*\/empty @aws-sdk\/credential-providers@3\.\d+\.\d+$/,
      ),
    });
  });

  it('signs with the found credentials, for the named profile', async () => {
    const folder = install(
      'found',
      `export const fromNodeProviderChain = ({ profile }) => async () =>
        ({ accessKeyId: 'AKIA' + profile, secretAccessKey: 'the-secret', sessionToken: 'the-token' });`,
    );
    const server = closing(await startFakeProvider('converse', [say('From Bedrock.')]));
    const environment = {
      ...profile,
      HEDDLE_CONFIG_DIR: folder,
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.url,
    };
    const chosen = await chooseModel('bedrock/anthropic.claude-sonnet-5', {}, { environment });
    if (!chosen.ok) throw new Error(chosen.message);
    expect(textIn(await ask(chosen.port, requestTo({ model: chosen.name })))).toBe('From Bedrock.');
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIAwork\/\d+\/eu-central-1\/bedrock\//,
      ),
      'x-amz-security-token': 'the-token',
    });
  });

  it('with expired credentials gives advice and is not retried', async () => {
    const folder = install(
      'expired',
      `export const fromNodeProviderChain = () => async () => { throw new Error('The SSO session has expired'); };`,
    );
    const environment = { ...profile, HEDDLE_CONFIG_DIR: folder };
    const chosen = await chooseModel('bedrock/anthropic.claude-sonnet-5', {}, { environment });
    if (!chosen.ok) throw new Error(chosen.message);
    const error = await failureOf(chosen.port, requestTo({ model: chosen.name }));
    expect(error).toMatchObject({ class: 'auth' });
    expect(error.message).toContain('The SSO session has expired');
    expect(error.message).toContain('aws sso login');
  });

  it('an incomplete key is rejected before anything is sent', async () => {
    const environment = { AWS_ACCESS_KEY_ID: 'AKIA0123456789', AWS_REGION: 'eu-central-1', HOME: home };
    const chosen = await chooseModel('bedrock/anthropic.claude-sonnet-5', {}, { environment });
    if (!chosen.ok) throw new Error(chosen.message);
    const error = await failureOf(chosen.port, requestTo({ model: chosen.name }));
    expect(error.message).toBe(
      'AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY. Set both, or neither.',
    );
  });
});
