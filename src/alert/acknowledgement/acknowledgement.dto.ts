import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { InHand } from '../../incident/incident-in-hand';
import { IsTimestamp, Nullable, Optional, parseTimestamp, ReadOnlyField } from '../../platform/http/validators';
import { type Findings, NO_FINDINGS } from '../../platform/problem/findings';

/** The value of `by` if the acknowledgement was made through the link in a message. */
export const BY_LINK = 'link';
/** Marks a name that someone typed there. It isn't verified, so it must not look like the name of a user. */
const LINK_MARK = ' (link)';
/** The maximum length of that name, in characters. */
export const MAX_LINK_NAME = 100;

/** Returns `by` for an acknowledgement that was made through the link. The name may be empty. */
export const byLink = (name: string): string => (name === '' ? BY_LINK : `${name}${LINK_MARK}`);

/** Returns whether it was made through the link. */
export const isByLink = (by: string | null): boolean => by === BY_LINK || by?.endsWith(LINK_MARK) === true;

/** Returns the name that was typed there, or an empty string. */
export const nameOfLink = (by: string): string => (by === BY_LINK ? '' : by.slice(0, -LINK_MARK.length));
/** The reason why the routes don't accept `If-Match`. */
export const NO_SETTINGS = 'A new acknowledgement always replaces the previous one.';
/** The maximum length, in characters. */
export const MAX_NOTE = 1000;
const UNTIL = {
  type: String,
  format: 'date-time',
  nullable: true,
  description: 'The latest time at which the acknowledgement ends. `null`: it lasts until the endpoint has recovered.',
};

/** What someone entered on the page that the link opens. Both may be empty. */
export interface SaidByLink {
  name: string;
  note: string;
}

/** Both fields are optional. A client may send back what it has read. */
export class AcknowledgeDto {
  @ReadOnlyField() by?: unknown;
  @ReadOnlyField() at?: unknown;

  @ApiPropertyOptional({
    description: 'A note for your team. It is also sent to pagers.',
    maxLength: MAX_NOTE,
    default: '',
    example: 'The switch is being replaced.',
  })
  @Optional()
  @IsString()
  @MaxLength(MAX_NOTE)
  note?: string;

  @ApiPropertyOptional({ ...UNTIL, default: null, example: '2036-11-20T14:00:00.000Z' })
  @Nullable()
  @IsTimestamp()
  until?: string | null;
}

export class AcknowledgementView {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The name of the user or of the API key. For a session created from a key, the name of that key. `link` if someone used the link in a message, or `Ada (link)` if they entered a name there. That name is not verified.',
    example: 'On call',
  })
  by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T12:05:00.000Z' })
  at!: string;

  @ApiProperty({ example: 'The switch is being replaced.' })
  note!: string;

  @ApiProperty({ ...UNTIL, example: null })
  until!: string | null;
}

/** Returns the errors that a route would find in these fields. */
export function acknowledgeFindings({ until }: AcknowledgeDto, now: Date): Findings {
  const time = parseTimestamp(until);
  if (time === null || time > now) return NO_FINDINGS;
  return { invalid: [{ pointer: '/until', code: 'in_past', message: 'until must be in the future' }], forbidden: [] };
}

export const toAcknowledgementView = ({ by, at, note, until }: InHand): AcknowledgementView => ({
  by,
  at: at.toISOString(),
  note,
  until: until?.toISOString() ?? null,
});

/**
 * Returns the acknowledgement as stored in the audit log. It leaves out the name, because the log would keep it
 * forever.
 */
export function auditedAcknowledgement(inHand: InHand): Omit<AcknowledgementView, 'by'> {
  const { by: _, ...said } = toAcknowledgementView(inHand);
  return said;
}
