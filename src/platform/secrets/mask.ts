/**
 * The API shows this in place of a hidden value. If it is sent back, the stored value is kept. No valid value contains
 * it.
 */
export const MASK = '********';
