import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  FIELD_PROBLEMS,
  type FieldProblem,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  ProtocolUnsupported,
  type QuotaUse,
} from './problem';

export class FieldProblemView {
  @ApiProperty({
    description: 'RFC 6901 pointer into the body, or `?name` for a query parameter.',
    example: '/interval',
  })
  pointer!: string;

  @ApiProperty({ enum: Object.keys(FIELD_PROBLEMS), example: 'out_of_range' })
  code!: string;

  @ApiProperty({ example: 'interval must not be greater than 86400' })
  message!: string;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    description: 'Only of routes that take a document: the line in it, from 1; `null` where there is none.',
    example: 12,
  })
  line?: number | null;
}

export class QuotaProblemView {
  @ApiProperty({ description: 'Which limit; see `GET /api/v1/organization`.', example: 'endpoints' })
  name!: string;

  @ApiProperty({ example: 10_000 })
  limit!: number;

  @ApiProperty({ description: 'What the organization had before the request.', example: 10_000 })
  used!: number;
}

/** A problem in the form of RFC 9457. */
export class ProblemView {
  @ApiProperty({
    description: 'Stable identifier of the kind of problem.',
    example: 'urn:uptime:problem:validation_failed',
  })
  type!: string;

  @ApiProperty({ example: 'Some fields are not valid' })
  title!: string;

  @ApiProperty({ example: 400 })
  status!: number;

  @ApiProperty({ example: 'Correct the fields listed in "errors" and send the request again.' })
  detail!: string;

  @ApiProperty({
    description: 'URN of this occurrence: the request id.',
    example: 'urn:uptime:request:018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
  })
  instance!: string;

  @ApiProperty({
    description: 'Switch on this; it is stable.',
    enum: Object.keys(PROBLEMS),
    example: 'validation_failed',
  })
  code!: string;

  @ApiProperty({ example: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11' })
  request_id!: string;

  @ApiPropertyOptional({ type: [FieldProblemView] })
  errors?: FieldProblem[];

  @ApiPropertyOptional({ type: QuotaProblemView, description: 'With `quota_exceeded`: the limit that is reached.' })
  quota?: QuotaUse;

  @ApiPropertyOptional({
    type: [Number],
    description: 'With `protocol_unsupported`: what is spoken here.',
    example: [1],
  })
  supported?: number[];
}

export function toProblemView(problem: Problem, requestId: string): ProblemView {
  return {
    type: problemType(problem.code),
    title: PROBLEMS[problem.code].title,
    status: problem.status,
    detail: problem.detail,
    instance: `urn:uptime:request:${requestId}`,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors.length > 0 ? { errors: [...problem.errors] } : {}),
    ...(problem.quota ? { quota: problem.quota } : {}),
    ...(problem instanceof ProtocolUnsupported ? { supported: [...problem.supported] } : {}),
  };
}

export const problemType = (code: ProblemCode): string => `urn:uptime:problem:${code}`;
