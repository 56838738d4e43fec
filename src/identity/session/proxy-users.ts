import type { Request } from 'express';
import type { ProxyUser } from './proxy-user';

/**
 * Creates people for users of the proxy in front. Implemented by the module that manages groups and memberships, which
 * is on a higher layer than sessions.
 */
export abstract class ProxyUsers {
  /** Returns whether these groups of the user were applied less than a minute ago. */
  abstract isSettled(token: string, user: ProxyUser): boolean;

  /**
   * Ensures that the user is a person with a session for this token. Returns false if the user is unknown. `isOpen`
   * means that the session already exists. A new user becomes a person if a group grants them a right.
   */
  abstract settle(token: string, user: ProxyUser, request: Request, isOpen: boolean): Promise<boolean>;
}
