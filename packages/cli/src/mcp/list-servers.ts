/** Servers as text: for `heddle mcp` and `/mcp`. Values that may be secret are not shown. */
import type { ConfiguredServer, ServerReport } from '@heddle/mcp';
import { serverAddress } from '@heddle/mcp/config';
import { escapeLine } from '../terminal/escape-controls.ts';

const NO_SERVERS = 'No MCP server is configured. Add one: heddle mcp add NAME -- COMMAND';

/** The state of each server, with the reason if it is not connected. */
export function stateList(reports: readonly ServerReport[]): string {
  if (reports.length === 0) return NO_SERVERS;
  return reports.map(stateLine).map(escapeLine).join('\n');
}

/** One server in full: state, place, address, tools, and the end of its standard error. */
export function serverDetails(report: ServerReport, log: readonly string[] = []): string {
  const { config, source, scope, serverInfo, tools, stderr } = report;
  const lines = [
    stateLine(report),
    `  ${serverAddress(config)}`,
    `  scope ${scope}${source === undefined ? '' : `, ${source}`}`,
    ...(serverInfo ? [`  ${serverInfo.name} ${serverInfo.version}`] : []),
    ...secretNames(config),
    ...tools.map(({ name, description, annotations }) => {
      const hint = annotations.readOnly ? ' (claims to only read)' : '';
      return `  tool ${name}${hint}: ${description.split('\n')[0]?.slice(0, 100)}`;
    }),
    ...(stderr === undefined
      ? []
      : [
          '  standard error:',
          ...stderr
            .split('\n')
            .slice(-10)
            .map((line) => `    ${line}`),
        ]),
    ...(log.length === 0 ? [] : ['  log:', ...log.slice(-10).map((line) => `    ${line}`)]),
  ];
  return lines.map(escapeLine).join('\n');
}

function stateLine({ name, status, error, tools }: ServerReport): string {
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  return `${name}: ${status}${status === 'connected' ? `, ${count}` : ''}${error === undefined ? '' : `. ${error}`}`;
}

/** Configured servers, without a connection. */
export function configuredList(servers: readonly ConfiguredServer[]): string {
  if (servers.length === 0) return NO_SERVERS;
  const lines = servers.map(
    ({ name, config, scope, disabled }) =>
      `${name}: ${serverAddress(config)} (${scope})${disabled === undefined ? '' : `. Not started: ${disabled}`}`,
  );
  return lines.map(escapeLine).join('\n');
}

/** The same facts, without the values of variables and headers. */
export function withoutSecrets(facts: { readonly config: ConfiguredServer['config'] }): object {
  const { config } = facts;
  const hide = (values: Readonly<Record<string, string>>): object =>
    Object.fromEntries(Object.keys(values).map((name) => [name, '(hidden)']));
  switch (config.type) {
    case 'stdio':
      return { ...facts, config: { ...config, env: hide(config.env) } };
    case 'http':
    case 'sse':
      return { ...facts, config: { ...config, headers: hide(config.headers), oauth: undefined } };
    case 'sdk':
      return facts;
  }
}

function secretNames(config: ConfiguredServer['config']): string[] {
  const named = (what: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`  ${what}: ${names.join(', ')}`];
  switch (config.type) {
    case 'stdio':
      return named('variables', Object.keys(config.env));
    case 'http':
    case 'sse':
      return named('headers', Object.keys(config.headers));
    case 'sdk':
      return [];
  }
}
