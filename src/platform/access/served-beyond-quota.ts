import { SetMetadata } from '@nestjs/common';

export const SERVED_BEYOND_QUOTA = Symbol('access:served-beyond-quota');

/** For changing routes that are needed in an emergency or store nothing: served whatever an organization has changed today. */
export const ServedBeyondQuota = () => SetMetadata(SERVED_BEYOND_QUOTA, true);
