import type { Acknowledgement } from '../api/types';
import { time } from './format';

/** The author that the service reports if someone used the link in a message, because no sign-in is needed there. */
const LINK = 'link';
/** The end of a name that someone entered there. */
const LINK_MARK = ' (link)';

const isByLink = (by: string | null): boolean => by === LINK || by?.endsWith(LINK_MARK) === true;

/** Returns the name of the user or API key that acknowledged an endpoint. */
export const acknowledgedBy = (by: string | null): string =>
  by === null || by === LINK ? 'someone' : by.endsWith(LINK_MARK) ? by.slice(0, -LINK_MARK.length) : by;

/** Returns `, using the link in a message`, or an empty string for a user or key. */
export const acknowledgedHow = (by: string | null): string => (isByLink(by) ? ', using the link in a message' : '');

/** Returns text such as `Acknowledged by Ops until 12:30: restarting the database`. */
export const acknowledgedText = ({ by, note, until }: Acknowledgement, nowMs: number): string =>
  `Acknowledged by ${acknowledgedBy(by)} until ${until === null ? 'it is up' : time(until, nowMs)}${acknowledgedHow(by)}${note === '' ? '' : `: ${note}`}`;
