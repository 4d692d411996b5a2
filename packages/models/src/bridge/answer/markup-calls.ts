/** Tool calls that models write as text, by the formats of their templates. Pure. */

export interface WrittenCall {
  readonly kind: 'call';
  readonly name: string;
  /** JSON. */
  readonly input: string;
}

export interface CallMarkup {
  readonly open: string;
  /** Undefined if the markup lasts until the response ends. */
  readonly close: string | undefined;
  /** Reads all calls between the tags. Returns no call if a part is not understood. */
  readonly calls: (body: string) => readonly WrittenCall[];
}

/** A tag that begins with another one comes before it. */
export const CALL_MARKUPS: readonly CallMarkup[] = [
  { open: '<tool_call>', close: '</tool_call>', calls: (body) => firstRead(body, CALL_BODIES) },
  { open: '<function_calls>', close: '</function_calls>', calls: callsInInvokes },
  { open: '<function_call>', close: '</function_call>', calls: (body) => firstRead(body, CALL_BODIES) },
  {
    open: '<function=',
    close: '</function>',
    calls: (body) => callsInFunctions(`<function=${body}</function>`),
  },
  { open: '[TOOL_CALLS]', close: undefined, calls: (body) => firstRead(body, [callsInJson, callsOfMistral]) },
  { open: '<|python_tag|>', close: undefined, calls: callsInJson },
  { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>', calls: callsOfDeepSeek },
  { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>', calls: callsOfKimi },
  { open: '<|channel|>commentary to=functions.', close: undefined, calls: callsOfHarmony },
  { open: '```tool_code', close: '```', calls: () => [] },
];

const CALL_BODIES = [callsInJson, callsInFunctions, callsOfGlm];

type ReadCalls = CallMarkup['calls'];

function firstRead(body: string, readers: readonly ReadCalls[]): readonly WrittenCall[] {
  for (const read of readers) {
    const calls = read(body);
    if (calls.length > 0) return calls;
  }
  return [];
}

/** Parses `{"name": …, "arguments": {…}}` or a list of such objects. */
export function callsInJson(text: string): readonly WrittenCall[] {
  const value = parseJson(text.trim());
  return allOrNone((Array.isArray(value) ? value : [value]).map(callOf));
}

function callOf(value: unknown): WrittenCall | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given: unknown = Reflect.get(value, 'arguments') ?? Reflect.get(value, 'parameters') ?? {};
  const name: unknown = Reflect.get(value, 'name');
  const input = typeof given === 'string' ? parseJson(given) : given;
  return typeof name === 'string' ? callWith(name, input) : undefined;
}

/** Parses `<function=NAME><parameter=FIELD>value</parameter>…</function>`, or an object in place of the parameters. */
function callsInFunctions(text: string): readonly WrittenCall[] {
  return callsMatching(upTo('</function>', text), /<function=([^<>\s]+)>([\s\S]*?)<\/function>/g, (body) =>
    body.trim().startsWith('{')
      ? parseJson(body)
      : fieldsIn(upTo('</parameter>', body), /<parameter=([^<>\s]+)>\n?([\s\S]*?)\n?<\/parameter>/g),
  );
}

/** Parses `<invoke name="NAME"><parameter name="FIELD">value</parameter>…</invoke>`. */
function callsInInvokes(text: string): readonly WrittenCall[] {
  return callsMatching(upTo('</invoke>', text), /<invoke name="([^"]+)">([\s\S]*?)<\/invoke>/g, (body) =>
    fieldsIn(upTo('</parameter>', body), /<parameter name="([^"]+)">([\s\S]*?)<\/parameter>/g),
  );
}

/** Parses `NAME<arg_key>FIELD</arg_key><arg_value>value</arg_value>…`. */
function callsOfGlm(text: string): readonly WrittenCall[] {
  return callsMatching(text, /^\s*([\w.-]+)\s*((?:<arg_key>[\s\S]*)?)$/g, (body) =>
    fieldsIn(
      upTo('</arg_value>', body),
      /<arg_key>((?:(?!<\/?arg_key>)[\s\S])*)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g,
    ),
  ).filter(() => text.includes('<arg_key>'));
}

/** Parses `NAME[ARGS]{…}`, repeated after another `[TOOL_CALLS]`. */
function callsOfMistral(text: string): readonly WrittenCall[] {
  return callsMatching(text, /(?<![\w.-])([\w.-]+)\[ARGS\]([\s\S]*?)(?:\[TOOL_CALLS\]|$)/g, parseJson);
}

/** Parses `function<sep>NAME` with a fenced object, or `NAME<sep>{…}` of later versions. */
function callsOfDeepSeek(text: string): readonly WrittenCall[] {
  const call = /<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)([\s\S]*?)<｜tool▁call▁end｜>/g;
  return callsMatching(upTo('<｜tool▁call▁end｜>', text), call, (body) =>
    parseJson(body.replace('<｜tool▁sep｜>', '').replaceAll(/```(?:json)?/g, '')),
  );
}

function callsOfKimi(text: string): readonly WrittenCall[] {
  const call =
    /<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>([\s\S]*?)<\|tool_call_end\|>/g;
  return callsMatching(upTo('<|tool_call_end|>', text), call, parseJson);
}

/** Parses the rest of `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`. */
function callsOfHarmony(text: string): readonly WrittenCall[] {
  const [name] = /^[\w-]+/.exec(text) ?? [];
  const [head = ''] = text.split('{', 1);
  const at = head.lastIndexOf(MESSAGE);
  if (name === undefined || at < 0) return [];
  const body = text.slice(at + MESSAGE.length).trimEnd();
  const end = '<|call|>';
  return allOrNone([callWith(name, parseJson(body.endsWith(end) ? body.slice(0, -end.length) : body))]);
}

const MESSAGE = '<|message|>';

/** Returns a text up to the last end of a call. Behind it, each start of a call would search for its end in vain. */
function upTo(end: string, text: string): string {
  const at = text.lastIndexOf(end);
  return at < 0 ? '' : text.slice(0, at + end.length);
}

/** `call` captures the name and the text of the input. */
function callsMatching(
  text: string,
  call: RegExp,
  inputOf: (body: string) => unknown,
): readonly WrittenCall[] {
  return allOrNone([...text.matchAll(call)].map(([, name = '', body = '']) => callWith(name, inputOf(body))));
}

/** `field` captures the name and the value of a field. Values are texts; the loop converts them to the types of the tool. */
function fieldsIn(body: string, field: RegExp): Readonly<Record<string, string>> {
  return Object.fromEntries([...body.matchAll(field)].map(([, name = '', value = '']) => [name, value]));
}

function callWith(name: string, input: unknown): WrittenCall | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  return { kind: 'call', name, input: JSON.stringify(input) };
}

function allOrNone(calls: readonly (WrittenCall | undefined)[]): readonly WrittenCall[] {
  return calls.every((call) => call !== undefined) ? calls : [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
