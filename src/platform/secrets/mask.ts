/** What the API shows in place of a hidden value; sent back, it keeps what is stored. No accepted value contains it. */
export const MASK = '********';
