// A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win.
program Ants;

const
    MostCells = 200;
    MostBases = 2;

type
    TCells = array[0..MostCells - 1] of integer;

var
    CellCount, BaseCount, Cell, Near, Way, Amount, Next, Queued: integer;
    Kinds, Distances, Queue, Resources, MyAnts, OpponentAnts: TCells; // kinds: 0 nothing, 1 eggs, 2 crystal
    Neighbours: array[0..MostCells - 1, 0..5] of integer; // -1: there is no cell
    MyBases, OpponentBases: array[0..MostBases - 1] of integer;
    MyPoints, OpponentPoints, Line, Target: integer;
    Taken: array[0..MostCells - 1] of boolean;
begin
    // The map, once.
    ReadLn(CellCount);
    for Cell := 0 to CellCount - 1 do
    begin
        Read(Kinds[Cell], Amount);
        for Way := 0 to 5 do Read(Neighbours[Cell, Way]);
        ReadLn;
    end;
    ReadLn(BaseCount);
    for Cell := 0 to BaseCount - 1 do Read(MyBases[Cell]);
    ReadLn;
    for Cell := 0 to BaseCount - 1 do Read(OpponentBases[Cell]);
    ReadLn;

    // Steps from my first base to each cell.
    for Cell := 0 to CellCount - 1 do Distances[Cell] := -1;
    Distances[MyBases[0]] := 0;
    Queue[0] := MyBases[0];
    Queued := 1;
    Next := 0;
    while Next < Queued do
    begin
        for Way := 0 to 5 do
        begin
            Near := Neighbours[Queue[Next], Way];
            if (Near < 0) or (Distances[Near] >= 0) then continue;
            Distances[Near] := Distances[Queue[Next]] + 1;
            Queue[Queued] := Near;
            Queued := Queued + 1;
        end;
        Next := Next + 1;
    end;

    while not Eof do
    begin
        MyPoints := 0;
        OpponentPoints := 0;
        for Cell := 0 to CellCount - 1 do
        begin
            Read(Resources[Cell], MyAnts[Cell]);
            if (Cell = 0) and SeekEoln then // two numbers are the points; only in the full game
            begin
                MyPoints := Resources[0];
                OpponentPoints := MyAnts[0];
                ReadLn;
                Read(Resources[0], MyAnts[0]);
            end;
            ReadLn(OpponentAnts[Cell]);
        end;

        FillChar(Taken, SizeOf(Taken), 0);
        for Line := 0 to 2 do
        begin
            Target := -1;
            for Cell := 0 to CellCount - 1 do
                if (Resources[Cell] > 0) and not Taken[Cell] then
                    if (Target < 0) or (Distances[Cell] < Distances[Target]) then Target := Cell;
            if Target < 0 then
            begin
                if Line = 0 then Write('WAIT');
                break;
            end;
            Taken[Target] := true;
            if Line > 0 then Write(';');
            Write('LINE ', MyBases[0], ' ', Target, ' 1');
        end;
        WriteLn;
        Flush(Output);

        // Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more
        // than its thinnest cell. Take eggs first while there are few ants; then let one line begin where another ends.
    end;
end.
