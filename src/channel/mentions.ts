/**
 * Returns the text with an invisible word joiner after each `@` that a chat server would read as a mention. An endpoint
 * named `@all` then notifies no one. Email addresses and URLs don't change.
 */
export const withoutMentions = (text: string): string =>
  text.replace(/https?:\/\/\S+|(?<![\p{L}\p{N}_])@(?=[\p{L}\p{N}_])/gu, (found) => (found === '@' ? '@\u2060' : found));
