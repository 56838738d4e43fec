import { Injectable } from '@nestjs/common';

/**
 * Whether there is any probe: where there is none, nothing is asked for the sake of them. Looked at every 5 s, and known at once
 * where one calls.
 */
@Injectable()
export class AnyProbes {
  /** True at first, so that what was left before a restart is cleared. */
  exist = true;
}
