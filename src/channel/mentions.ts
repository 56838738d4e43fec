/**
 * Returns the text with an invisible word joiner after each `@` that a chat server would treat as a mention, so that an
 * endpoint named `@all` notifies no one. Email addresses and URLs don't change.
 */
export const withoutMentions = (text: string): string =>
  text.replace(/https?:\/\/\S+|(?<![\p{L}\p{N}_])@(?=[\p{L}\p{N}_])/gu, (found) => (found === '@' ? '@\u2060' : found));
