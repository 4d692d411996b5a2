/** Which instruction files a session began with: its context names each in a heading. Pure. */
export function instructionFiles(context: Readonly<Record<string, string>>): string[] {
  const headings = (context['Instructions'] ?? '').matchAll(HEADING);
  return Array.from(headings, ([, file = '']) => file);
}

const HEADING = /^## (.+) \((?:the project's|the user's, for (?:all projects|this project))\)$/gm;
