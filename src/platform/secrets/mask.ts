/**
 * Shown by the API in place of a hidden value. If it is sent back, the stored value stays. No accepted value contains
 * it.
 */
export const MASK = '********';
