/** Our policy in the words of sandbox-runtime. */
import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import type { SandboxSettings } from '../../settings/sandbox.ts';
import type { SandboxPolicy } from '../policy/policy.ts';

type Entry = SandboxRuntimeConfig['filesystem']['denyRead'][number];

/** `unwritable`: what the policy's patterns were found to mean, where the runtime cannot keep patterns itself. */
export function runtimeConfig(
  policy: SandboxPolicy,
  { network, enableWeakerNestedSandbox }: SandboxSettings,
  { ripgrep, unwritable }: { readonly ripgrep: string | undefined; readonly unwritable: readonly string[] },
): SandboxRuntimeConfig {
  const { httpProxyPort, socksProxyPort } = network;
  return {
    network: {
      allowedDomains: [...policy.allowedDomains],
      deniedDomains: [...policy.deniedDomains],
      allowUnixSockets: [...network.allowUnixSockets],
      allowLocalBinding: network.allowLocalBinding,
      ...(httpProxyPort === undefined ? {} : { httpProxyPort }),
      ...(socksProxyPort === undefined ? {} : { socksProxyPort }),
    },
    filesystem: {
      allowWrite: policy.writable.map(literal),
      denyWrite: [...policy.unwritable, ...unwritable].map(literal),
      // A name without wildcards is a name; the others are patterns.
      denyRead: policy.unreadable.map((path) => (/[*?[\]]/.test(path) ? path : literal(path))),
      allowRead: policy.readable.map((path) => (/[*?[\]]/.test(path) ? path : literal(path))),
    },
    enableWeakerNestedSandbox,
    ...(ripgrep === undefined ? {} : { ripgrep: { command: ripgrep } }),
  };
}

function literal(path: string): Entry {
  return { path, literal: true };
}
