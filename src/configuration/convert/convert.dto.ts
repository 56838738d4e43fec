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
  @ApiProperty({ enum: FOREIGN_PROGRAMS, description: 'The program that the file comes from.', example: 'gatus' })
  @IsIn(FOREIGN_PROGRAMS)
  from!: ForeignProgram;
}

export class ReportEntryView {
  @ApiProperty({ description: 'The position in the file: a JSON pointer, or a line number.', example: 'line 12' })
  at!: string;

  @ApiProperty({ description: 'The name of the item in the other program.', example: 'Front page' })
  name!: string;

  @ApiProperty({
    enum: CONVERSION_RESULTS,
    description:
      '`mapped`: the item is in the document without changes. `approximated`: the item is in the document, with a difference. `skipped`: the item is not in the document.',
    example: 'approximated',
  })
  result!: ConversionResult;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The difference, or the reason. null if nothing is lost.',
    example: 'the page is rendered in a browser there and only fetched here',
  })
  why!: string | null;
}

export class ConversionView {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'A configuration document of version 1. It contains the credentials from the file, some of them under `secrets`. Remove them before you store the document in Git.',
    example: {
      version: 1,
      websites: [{ key: 'shop', name: 'Shop', url: 'https://shop.example.com', endpoints: [] }],
    },
  })
  document!: ConfigurationDocument;

  @ApiProperty({
    type: [ReportEntryView],
    description:
      'How each item of the file was converted. Each item is either in the document or listed here as skipped.',
  })
  report!: ReportEntry[];
}
