// A first Yavalath bot: it plays a random empty cell. Read, change, win.
program Yavalath;

uses SysUtils;

type
    Cell = record
        X, Y: integer;
    end;

var
    MyId, RowCount, X, Y, LastX, LastY, EmptyCount: integer;
    Row: string;
    EmptyCells: array[0..60] of Cell;
    Chosen: Cell;
begin
    RandSeed := longint(GetTickCount64); // Randomize knows whole seconds only: bots that start together would be alike
    ReadLn(MyId); // 1 if you begin, 2 if your opponent does

    while not Eof do
    begin
        ReadLn(RowCount); // always 9
        EmptyCount := 0;
        for Y := 0 to RowCount - 1 do
        begin
            ReadLn(Row); // 0 empty, 1 your stone, 2 your opponent's
            for X := 0 to Length(Row) - 1 do
                if Row[X + 1] = '0' then
                begin
                    EmptyCells[EmptyCount].X := X;
                    EmptyCells[EmptyCount].Y := Y;
                    EmptyCount := EmptyCount + 1;
                end;
        end;
        ReadLn(LastX, LastY); // your opponent's last move; -1 -1 if you begin

        Chosen := EmptyCells[Random(EmptyCount)];
        WriteLn(Chosen.X, ' ', Chosen.Y, ' hello');
        Flush(Output);

        // Where to start: a random cell may complete a line of 3, and that loses. Look along the three directions
        // from each empty cell, leave out the cells that make a 3, and take the one that makes a 4.
    end;
end.
