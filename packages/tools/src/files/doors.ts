/** What the file tools need of the world around them. */
import { KnownTexts } from './known-texts.ts';

export interface FileToolDoors {
  /** Keeps a file's old content before it is changed. A change whose old content cannot be kept does not happen. */
  readonly checkpoints?: Checkpoints;
  /** Wait until the disk has what was written. */
  readonly sync?: boolean;
}

export interface Checkpoints {
  /** `after`: the hash of what it is about to become. `current`: the content that is replaced; undefined for a new file. */
  before(file: string, toolUseId: string, after: string, current: KeptContent | undefined): Promise<void>;
  /** Called before a file is written in place, which a crash can cut short. */
  keepCopy?(current: KeptContent): Promise<void>;
}

export interface KeptContent {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly mode: number;
}

export interface FileTools extends FileToolDoors {
  readonly knownTexts: KnownTexts;
}

export function openDoors(doors: FileToolDoors = {}): FileTools {
  return { ...doors, knownTexts: new KnownTexts() };
}
