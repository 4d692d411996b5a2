// Written by `npm run generate` from the input schemas of the tools. Do not edit.
/* biome-ignore-all format: generated */
export const inputSchemas = {
  Bash: {"type":"object","properties":{"command":{"type":"string","minLength":1,"description":"The command, run by bash in the working directory"},"description":{"description":"What it does, in five to ten words","type":"string"},"timeout":{"description":"Time limit in milliseconds; 120000 by default","type":"integer","minimum":1,"maximum":600000}},"required":["command"],"additionalProperties":false},
  Read: {"type":"object","properties":{"file_path":{"type":"string","description":"Absolute path of the file, or relative to the working directory"},"offset":{"description":"Line to start at, counted from 1","type":"integer","minimum":1,"maximum":9007199254740991},"limit":{"description":"Number of lines to read","type":"integer","minimum":1,"maximum":9007199254740991}},"required":["file_path"],"additionalProperties":false},
} as const;
