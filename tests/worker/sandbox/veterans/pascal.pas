program Answer;
{$H+}
uses sysutils, classes, math;

var
    turn : Int32;
begin
    while true do begin
        readln(turn);
        writeln(StdErr, 'turn ', turn);
        flush(StdErr);
        writeln('REPLY ', max(turn, 0));
        flush(output);
    end;
end.
