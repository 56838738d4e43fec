import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** What this process is to the service: the newest session of a token is the one that works. */
@Injectable()
export class ProbeSession {
  readonly id = randomUUID();
  /** The token opens nothing at the moment: nothing is sent but the question whether it does again. */
  isRefused = false;
}
