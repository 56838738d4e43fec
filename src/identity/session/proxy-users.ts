import type { Request } from 'express';
import type { ProxyUser } from './proxy-user';

/** Makes people of the users that the proxy in front tells. Done by whoever knows groups and memberships, which stand above sessions. */
export abstract class ProxyUsers {
  /** Whether these groups of the user were applied less than a minute ago. */
  abstract isSettled(token: string, user: ProxyUser): boolean;

  /**
   * Whether the user is somebody, who has a session with this token then; `isOpen`: there is one already. Who is new becomes a
   * person if a group gives them something.
   */
  abstract settle(token: string, user: ProxyUser, request: Request, isOpen: boolean): Promise<boolean>;
}
