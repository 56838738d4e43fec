import type { Extension } from './extension';

/** What the variables of an extension begin with: `BILLING_` for `billing`, `SMS_GATE_` for `sms-gate`. */
export const settingPrefix = ({ name }: Pick<Extension, 'name'>): string =>
  `${name.toUpperCase().replaceAll('-', '_')}_`;
