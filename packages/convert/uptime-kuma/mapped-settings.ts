/** A contact's settings, still including credentials, and how they differ from Kuma. */
export interface MappedSettings {
  type: string;
  config: Record<string, unknown>;
  differences: string[];
  /** False if the contact doesn't send recovery notifications. */
  tellsResolved?: false;
}

/** Drops empty strings, which aren't sent. */
export const said = (settings: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== '' && value !== null && value !== undefined),
  );
