import { CONVERTERS, type ConversionResult, type ForeignProgram } from '../../../packages/convert';
import { CHANNEL_RULES } from '../../../src/configuration/convert/channel-rules';
import { fieldCases } from '../../harness/field/field-cases';

interface ConversionFieldCase {
  program: ForeignProgram;
  file: string;
  report: { name: string; result: ConversionResult; why?: string }[];
}

describe.each(fieldCases<ConversionFieldCase>('conversions', ['program', 'file', 'report']))(
  '$name',
  ({ program, file, report }) => {
    const found = CONVERTERS[program](file, CHANNEL_RULES).report;

    it.each(report)('$name is $result', ({ name, result, why }) => {
      const entry = found.find((one) => one.name === name);
      expect(entry).toMatchObject({ result, why: why === undefined ? null : expect.stringContaining(why) });
    });
  },
);
