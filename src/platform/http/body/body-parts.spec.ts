import 'reflect-metadata';
import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsName, Nested, Nullable, PartialOf, ReadOnlyFieldsOf } from '../validators';
import { settableFields } from './body-parts';
import { shapeProblems } from './validation.pipe';

class PartDto {
  @IsString()
  color!: string;
}

class ThingView {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  name!: string;
}

@ReadOnlyFieldsOf(ThingView)
class CreateThingDto {
  @ApiProperty()
  @IsName(20)
  name!: string;

  @ApiProperty()
  @Nullable()
  @IsString()
  note?: string | null;

  @ApiProperty()
  @Nested(() => PartDto)
  part!: PartDto;
}

class UpdateThingDto extends PartialOf(CreateThingDto) {}

describe('the body that creates a resource, and the body of its partial update', () => {
  const whole = { id: 'th_1', name: 'Lamp', note: null, part: { color: 'red' } };

  it.each<[string, new () => object, object, string[]]>([
    ['a creation accepts the fields of its view', CreateThingDto, whole, []],
    ['an update accepts the fields of its view', UpdateThingDto, whole, []],
    ['a creation needs its fields', CreateThingDto, {}, ['/name required', '/part required']],
    ['an update needs no fields', UpdateThingDto, {}, []],
    [
      'an update accepts null only where a creation does',
      UpdateThingDto,
      { name: null, note: null },
      ['/name wrong_type'],
    ],
    ['an update validates a part of the body', UpdateThingDto, { part: { color: 1 } }, ['/part/color wrong_type']],
    ['an update knows the fields of a part', UpdateThingDto, { part: { form: '' } }, ['/part/form unknown_field']],
    ['a creation knows no other fields', CreateThingDto, { ...whole, size: 1 }, ['/size unknown_field']],
  ])('%s', (_, type, body, expected) => {
    const found = shapeProblems(type, { ...body });
    expect(found.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(expect.arrayContaining(expected));
    expect(found.length > 0).toBe(expected.length > 0);
  });

  it("all fields that aren't read-only are settable", () => {
    expect(settableFields(CreateThingDto).sort()).toEqual(['name', 'note', 'part']);
    expect(settableFields(UpdateThingDto).sort()).toEqual(['name', 'note', 'part']);
  });
});
