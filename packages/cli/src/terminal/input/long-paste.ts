/** Decides which pastes are long. The line shows only a mark for them, and what they contain is data. */

const MAX_LINES = 10;
const MAX_LENGTH = 2_000;

export function isLongPaste(text: string): boolean {
  return text.length > MAX_LENGTH || text.split('\n').length > MAX_LINES;
}
