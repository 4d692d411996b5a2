/**
 * The instructions of one session. Files that apply from the start are part of the first message. Those of a subfolder, and rules
 * for some paths, join the conversation when the model touches a file there.
 */
import type { Attachment, Message, ToolUseContext } from '@heddle/core';
import { matchesPaths } from '../extensions/path-match.ts';
import {
  findInstructions,
  findNestedInstructions,
  type FoundInstructions,
  type InstructionFile,
  type InstructionPlaces,
  isWithheld,
} from './instruction-files.ts';
import { type AppliedInstructions, appliedInstructions } from './instruction-text.ts';

type Instructions = Extract<Attachment, { kind: 'instructions' }>;

/** Characters that join the conversation at once. The rest follows at the next boundary. */
const MAX_ATTACHED = 60_000;

export interface SessionInstructionsSetup {
  readonly places: InstructionPlaces;
  /** The facts that the session began with. */
  readonly userContext: () => Readonly<Record<string, string>>;
  readonly messages: () => Iterable<Message>;
  /** The files that the current rules forbid to import. By default, those of `places`. */
  readonly deniedFiles?: () => Promise<(file: string) => boolean>;
}

export class SessionInstructions {
  readonly #setup: SessionInstructionsSetup;
  #found: FoundInstructions | undefined;
  /** Files whose instructions are all part of the conversation. */
  readonly #settled = new Set<string>();

  constructor(setup: SessionInstructionsSetup) {
    this.#setup = setup;
  }

  /** The files as they are on disk now. Read once. */
  get found(): FoundInstructions {
    return (this.#found ??= findInstructions(this.#setup.places));
  }

  /** The files that the session began with. */
  get applied(): readonly AppliedInstructions[] {
    return appliedInstructions(this.#setup.userContext());
  }

  /** Those that joined the conversation later. A compaction keeps them. */
  get joined(): readonly Instructions[] {
    return Array.from(this.#setup.messages()).flatMap((message) =>
      message.type === 'attachment' && message.attachment.kind === 'instructions' ? [message.attachment] : [],
    );
  }

  /** The instructions for files that were touched since the last call. Called between two model calls. */
  async gather({ fileState }: Pick<ToolUseContext, 'fileState'>): Promise<readonly Attachment[]> {
    const touched = fileState.paths().filter((file) => !this.#settled.has(file));
    if (touched.length === 0) return [];
    const present = new Set([...this.applied.map(({ file }) => file), ...this.joined.map((one) => one.path)]);
    const added: Instructions[] = [];
    let room = MAX_ATTACHED;
    for (const file of touched) {
      const missing = (await this.#applyingTo(file)).filter((one) => !present.has(one.file));
      if (missing.length === 0) this.#settled.add(file);
      for (const { file: from, text, reason, paths } of missing) {
        if (added.length > 0 && text.length > room) continue;
        room -= text.length;
        present.add(from);
        const why = paths === undefined ? reason : `for ${paths.patterns.join(', ')}`;
        added.push({ kind: 'instructions', path: from, reason: why, text });
      }
    }
    return added;
  }

  async #applyingTo(file: string): Promise<readonly InstructionFile[]> {
    const { places, deniedFiles } = this.#setup;
    // Rules may have changed since the start.
    const isDenied = (await deniedFiles?.()) ?? places.isDenied ?? (() => false);
    const nested = findNestedInstructions(file, { ...places, isDenied });
    const rules = this.found.byPath.filter((one) => !isWithheld(one, isDenied)).concat(nested.byPath);
    const matching: InstructionFile[] = [];
    for (const rule of rules)
      if (rule.paths !== undefined && (await matchesPaths(rule.paths, file))) matching.push(rule);
    return [...nested.files, ...matching];
  }
}
