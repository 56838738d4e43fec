import { ApiProperty } from '@nestjs/swagger';
import { writeProperties } from './deferred-property';

// Imported wherever the documents of classes are read, and before classes that use the decorators of `@nestjs/swagger`.
writeProperties(ApiProperty);
