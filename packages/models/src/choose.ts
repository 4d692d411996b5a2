/** Which model a name means. Each kind is loaded only when it is chosen. */
import type { ModelPort } from '@heddle/core';

/** What a kind of model needs to be built from the part of the name behind the colon or slash. */
export type ModelMaker = (rest: string) => Promise<ModelPort>;

export type Chosen =
  | { readonly ok: true; readonly port: ModelPort; readonly name: string }
  | { readonly ok: false; readonly message: string };

/** `kind`, `kind:rest` or `kind/rest`. */
export async function chooseModel(name: string, kinds: Readonly<Record<string, ModelMaker>>): Promise<Chosen> {
  const [, kind = '', rest = ''] = /^([^:/]+)[:/]?(.*)$/s.exec(name) ?? [];
  const make = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!make) {
    const known = Object.keys(kinds).join(', ');
    return { ok: false, message: `There is no model named ${name}. Known kinds: ${known}.` };
  }
  try {
    return { ok: true, port: await make(rest), name };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { ok: false, message: `The model ${name} could not be loaded: ${why}` };
  }
}
