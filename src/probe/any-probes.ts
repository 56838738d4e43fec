import { Injectable } from '@nestjs/common';

/**
 * Whether any probe exists. If not, no statements are sent for probes. It is checked every 5 s, and known at once when
 * a probe calls.
 */
@Injectable()
export class AnyProbes {
  /** True at first, so that leftovers from before a restart are removed. */
  exist = true;
}
