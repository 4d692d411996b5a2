/** What a provider's wire can hold. What it cannot is dropped or told in words; nothing here depends on a single model. */

export interface Features {
  /** Pictures in user messages. */
  readonly images: boolean;
  /** PDF files in user messages; otherwise a note stands for them. */
  readonly documents: boolean;
  /** Pictures inside results; otherwise they follow in a user message. */
  readonly mediaInResults: boolean;
  /** A user's words may follow results; otherwise they are put into the last result. */
  readonly wordsAfterResults: boolean;
  /** What becomes of its thinking in later turns: sent back as the provider signed it, sent back as text, or left out. */
  readonly thinking: 'signed' | 'text' | 'dropped';
  /** `--effort` and `--thinking` reach it. */
  readonly effort: boolean;
}
