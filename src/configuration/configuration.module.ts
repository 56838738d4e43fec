import { Module } from '@nestjs/common';
import { ConvertController } from './convert/convert.controller';
import { ConvertService } from './convert/convert.service';

/** Configuration as code. */
@Module({
  controllers: [ConvertController],
  providers: [ConvertService],
})
export class ConfigurationModule {}
