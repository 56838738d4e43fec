import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { exampleId, type IdKind } from '../ids/id';
import { PrefixedIdPipe } from '../ids/prefixed-id.pipe';

/** The id of this kind in the path, documented, and given to the handler as its uuid. `name`: what the path calls it. */
export const IdParam =
  (kind: IdKind, name = 'id'): ParameterDecorator =>
  (controller, handler, index) => {
    if (handler === undefined) throw new Error('an id in the path is for a handler');
    Param(name, new PrefixedIdPipe(kind))(controller, handler, index);
    const method = Object.getOwnPropertyDescriptor(controller, handler) ?? {};
    ApiParam({ name, example: exampleId(kind) })(controller, handler, method);
  };
