/** Returns the anchor of a heading, as GitHub does: lower case, without punctuation, with hyphens for spaces. */
export const slugOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
