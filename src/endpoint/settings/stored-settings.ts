/** The settings of a type as stored: with a mask in place of each secret, and the secrets encrypted together. */
export interface StoredSettings {
  values: object;
  /** The encrypted JSON object with each secret by its pointer. Absent if there are no secrets. */
  sealed?: string;
}

/** Returns the settings as every role sees them. */
export const shownSettings = (stored: StoredSettings | null): object => stored?.values ?? {};
