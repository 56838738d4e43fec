import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import {
  CONVERSION_RESULTS,
  type ConversionResult,
  FOREIGN_PROGRAMS,
  type ForeignProgram,
  type ReportEntry,
} from '../../../packages/convert/index';
import type { ConfigurationDocument } from '../document/document';

export class ConvertQuery {
  @ApiProperty({ enum: FOREIGN_PROGRAMS, description: 'The program whose file it is.', example: 'gatus' })
  @IsIn(FOREIGN_PROGRAMS)
  from!: ForeignProgram;
}

export class ReportEntryView {
  @ApiProperty({ description: 'Where it stands in the file: a JSON pointer, or a line.', example: 'line 12' })
  at!: string;

  @ApiProperty({ description: 'What the other program calls it.', example: 'Front page' })
  name!: string;

  @ApiProperty({
    enum: CONVERSION_RESULTS,
    description:
      '`mapped`: it is in the document as it was. `approximated`: it is there, with a difference. `skipped`: it is not there.',
    example: 'approximated',
  })
  result!: ConversionResult;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The difference, or the reason; null when nothing is lost.',
    example: 'the page is rendered in a browser there and only fetched here',
  })
  why!: string | null;
}

export class ConversionView {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'A configuration document of version 1. Credentials of the file are in it, some of them in `secrets`: move them out before you keep it in git.',
    example: {
      version: 1,
      websites: [{ key: 'shop', name: 'Shop', url: 'https://shop.example.com', endpoints: [] }],
    },
  })
  document!: ConfigurationDocument;

  @ApiProperty({
    type: [ReportEntryView],
    description: 'What became of each thing in the file: everything is in the document or skipped here.',
  })
  report!: ReportEntry[];
}
