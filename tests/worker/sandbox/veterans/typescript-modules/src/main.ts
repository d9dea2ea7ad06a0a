import { reply } from './reply'
declare function readline(): string

for (;;) console.log(reply(parseInt(readline(), 10)))
