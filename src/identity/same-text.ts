import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns whether two strings are equal. The time doesn't depend on where they differ. */
export const sameText = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
