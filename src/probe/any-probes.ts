import { Injectable } from '@nestjs/common';

/**
 * Whether any probe exists. If not, no statements are sent for probes. This is checked every 5 s, and detected
 * immediately when a probe connects.
 */
@Injectable()
export class AnyProbes {
  /** True at first, so that data left over from before a restart is removed. */
  exist = true;
}
