import type { Acknowledgement } from '../api/types';
import { time } from './format';

/** The author that the service returns if the link in a message was used, because no one signs in there. */
const LINK = 'link';

/** Returns the user who acknowledged an endpoint, or the name of the API key. */
export const acknowledgedBy = (by: string | null): string => (by === null || by === LINK ? 'someone' : by);

/** Returns `, using the link in a message`, or nothing for a user or a key. */
export const acknowledgedHow = (by: string | null): string => (by === LINK ? ', using the link in a message' : '');

/** Returns a text such as `Acknowledged by Ops until 12:30: restarting the database`. */
export const acknowledgedText = ({ by, note, until }: Acknowledgement, nowMs: number): string =>
  `Acknowledged by ${acknowledgedBy(by)} until ${until === null ? 'it is up' : time(until, nowMs)}${acknowledgedHow(by)}${note === '' ? '' : `: ${note}`}`;
