import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** How the service identifies this process. A token's newest session is the active one. */
@Injectable()
export class ProbeSession {
  readonly id = randomUUID();
  /** Whether the token is currently rejected. If so, only polls are sent, to detect when it is accepted again. */
  isRefused = false;
}
