import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, ValidateIf } from 'class-validator';
import { configProblems, knownKeys } from './config-validation';
import * as field from './config-fields';

/** Channels from other teams may combine our decorators with class-validator's own. */
class MixedConfig {
  @IsString()
  @MaxLength(5)
  room!: string;

  @IsOptional()
  @IsInt()
  @Max(9)
  level?: number;

  @IsOptional()
  @IsIn(['a', 'b'])
  kind?: string;

  @field.Required(field.text({ max: 5 }))
  own!: string;

  @field.Optional(field.integer(1, 3))
  count?: number;
}

class ConditionalConfig extends MixedConfig {
  @ValidateIf(({ level }: ConditionalConfig) => level === 9)
  @field.Required(field.text({ max: 5 }))
  reason!: string;
}

describe('problems of a config', () => {
  it('derives the known keys of a config from their rules', () => {
    expect(knownKeys(MixedConfig).sort()).toEqual(['count', 'kind', 'level', 'own', 'room']);
  });

  it.each([
    { input: { room: 'a', own: 'b' }, found: [] },
    { input: { room: 'a', own: 'b', level: 3, kind: 'a', count: 2 }, found: [] },
    { input: { room: 'a' }, found: ['/own required'] },
    { input: { own: 'b' }, found: ['/room required'] },
    { input: { room: 7, own: 'b' }, found: ['/room wrong_type'] },
    { input: { room: 'too long', own: 'too long' }, found: ['/room too_long', '/own too_long'] },
    { input: { room: 'a', own: 'b', level: 10 }, found: ['/level out_of_range'] },
    { input: { room: 'a', own: 'b', kind: 'c' }, found: ['/kind invalid_format'] },
    { input: { room: 'a', own: 'b', count: 2.5 }, found: ['/count wrong_type'] },
    { input: { room: 'a', own: 'b', count: 4 }, found: ['/count out_of_range'] },
    { input: { room: 'a', own: 'b', kind: null }, found: ['/kind wrong_type'] },
    { input: { room: 'a', own: null }, found: ['/own wrong_type'] },
    { input: { room: 'a', own: ' ' }, found: ['/own required'] },
    { input: { room: 'a', own: 'b', other: 1 }, found: ['/other unknown_field'] },
    { input: [], found: [' wrong_type'] },
    { input: 'text', found: [' wrong_type'] },
    { input: null, found: [' wrong_type'] },
  ])('finds these problems in the config $input: $found', ({ input, found }) => {
    expect(configProblems(MixedConfig, input).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(found);
  });

  it('applies the rules of the class that it extends, and a rule with a condition only if that holds', () => {
    const codes = (more: object) =>
      configProblems(ConditionalConfig, { room: 'a', own: 'b', ...more }).map(
        ({ pointer, code }) => `${pointer} ${code}`,
      );
    expect(codes({})).toEqual([]);
    expect(codes({ level: 9 })).toEqual(['/reason required']);
    expect(codes({ level: 9, reason: 'because', own: 'too long' })).toEqual(['/reason too_long', '/own too_long']);
  });
});
