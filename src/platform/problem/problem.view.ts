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
    description: 'An RFC 6901 JSON pointer into the body, or `?name` for a query parameter.',
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
    description:
      'The line in the document, starting at 1. Only for routes that accept a document. `null` if there is no line.',
    example: 12,
  })
  line?: number | null;
}

export class QuotaProblemView {
  @ApiProperty({ description: 'The limit that is reached. See `GET /api/v1/organization`.', example: 'endpoints' })
  name!: string;

  @ApiProperty({ example: 10_000 })
  limit!: number;

  @ApiProperty({ description: 'The usage of the organization before the request.', example: 10_000 })
  used!: number;
}

/** A problem in RFC 9457 format. */
export class ProblemView {
  @ApiProperty({
    description: 'A stable identifier of the kind of problem.',
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
    description: 'The URN of this occurrence, which contains the request ID.',
    example: 'urn:uptime:request:018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
  })
  instance!: string;

  @ApiProperty({
    description: 'A stable error code that programs can switch on.',
    enum: Object.keys(PROBLEMS),
    example: 'validation_failed',
  })
  code!: string;

  @ApiProperty({ example: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11' })
  request_id!: string;

  @ApiPropertyOptional({ type: [FieldProblemView] })
  errors?: FieldProblem[];

  @ApiPropertyOptional({
    type: QuotaProblemView,
    description: 'Only with `quota_exceeded`: the limit that is reached.',
  })
  quota?: QuotaUse;

  @ApiPropertyOptional({
    type: [Number],
    description: 'Only with `protocol_unsupported`: the protocol versions that the service supports.',
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
