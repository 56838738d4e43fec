import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** The identity of this process at the service. The newest session of a token is the active one. */
@Injectable()
export class ProbeSession {
  readonly id = randomUUID();
  /**
   * Whether the token is currently refused. Only polls are sent in this case, to find out when it is accepted again.
   */
  isRefused = false;
}
