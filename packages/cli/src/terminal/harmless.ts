/** Text from models, tools and files must not drive the terminal: control characters are shown, not obeyed. */
export function harmless(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) =>
    character === '\r' ? '' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
