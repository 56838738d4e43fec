import type { Acknowledgement } from '../api/types';
import { time } from './format';

/** What the service names where the link in a message was used: nobody signs in there. */
const LINK = 'link';

/** The user who acknowledged an endpoint, or the name of the API key that was used. */
export const acknowledgedBy = (by: string | null): string => (by === null || by === LINK ? 'someone' : by);

/** `, by the link in a message`; nothing for a key. */
export const acknowledgedHow = (by: string | null): string => (by === LINK ? ', using the link in a message' : '');

/** `Ops has it in hand until 12:30: restarting the database`. */
export const acknowledgedText = ({ by, note, until }: Acknowledgement, nowMs: number): string =>
  `Acknowledged by ${acknowledgedBy(by)} until ${until === null ? 'it is up' : time(until, nowMs)}${acknowledgedHow(by)}${note === '' ? '' : `: ${note}`}`;
