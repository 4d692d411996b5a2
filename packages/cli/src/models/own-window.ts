/** Tokens that the models take in one request which this program plays itself; a script may say otherwise. */
export const OWN_WINDOW = 200_000;
