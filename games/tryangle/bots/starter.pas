// A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
program TryAngle;

const
    MostHouses = 100;
    MostTriangles = 1000;
    MostUnits = 1000;

type
    TTriangle = record
        Corners: array[0..2] of integer;
        Owner, IMay, TheyMay: integer; // owner: 0 me, 1 my opponent, -1 nobody; who may capture it
    end;

var
    X, Y: array[0..MostHouses - 1] of integer;
    Units: array[0..MostUnits - 1] of integer; // the house of each unit
    UnitCount: integer;
    Triangles: array[0..MostTriangles - 1] of TTriangle;

// The square of the straight way between two houses.
function Distance(One, Other: integer): integer;
begin
    Result := Sqr(X[One] - X[Other]) + Sqr(Y[One] - Y[Other]);
end;

// Which of my units is nearest to a house.
function Nearest(House: integer): integer;
var
    UnitNumber: integer;
begin
    Result := 0;
    for UnitNumber := 1 to UnitCount - 1 do
        if Distance(Units[UnitNumber], House) < Distance(Units[Result], House) then Result := UnitNumber;
end;

// Takes a unit out; the others keep their order.
procedure Remove(UnitNumber: integer);
begin
    UnitCount := UnitCount - 1;
    for UnitNumber := UnitNumber to UnitCount - 1 do Units[UnitNumber] := Units[UnitNumber + 1];
end;

procedure ReadPaths;
var
    Count, Path, A, B: integer;
begin
    ReadLn(Count);
    for Path := 1 to Count do ReadLn(A, B);
end;

var
    HouseCount, House, Id, MyScore, OpponentScore, Mine, Others, Count, T, Corner, Target, Sum, Least, Best: integer;
    HasCommand: boolean;

// Begins a command; commands are separated by semicolons.
procedure Command(Name: string);
begin
    if HasCommand then Write(';');
    HasCommand := true;
    Write(Name);
end;

begin
    // The map, once.
    ReadLn(HouseCount);
    for House := 0 to HouseCount - 1 do ReadLn(Id, X[House], Y[House]);

    while not Eof do
    begin
        ReadLn(MyScore, OpponentScore);
        UnitCount := 0;
        for House := 0 to HouseCount - 1 do
        begin
            ReadLn(Id, Mine, Others);
            for Mine := Mine downto 1 do
            begin
                Units[UnitCount] := House;
                UnitCount := UnitCount + 1;
            end;
        end;
        ReadPaths;
        ReadLn(Count);
        for T := 0 to Count - 1 do
            with Triangles[T] do ReadLn(Corners[0], Corners[1], Corners[2], Owner, IMay, TheyMay);
        ReadPaths; // paths that could be added

        HasCommand := false;

        // A new unit, while there are few.
        for T := 0 to Count - 1 do
            with Triangles[T] do
                if (Owner = 0) and (UnitCount < 6) then
                begin
                    Command('SPAWN');
                    Write(' ', Corners[0], ' ', Corners[1], ' ', Corners[2]);
                    break;
                end;

        // The nearest triangle to capture; to each of its corners goes the nearest unit.
        Target := -1;
        Least := 0;
        for T := 0 to Count - 1 do
            with Triangles[T] do
            begin
                if (Owner = 0) or (IMay = 0) or (UnitCount = 0) then continue;
                Sum := 0;
                for Corner in Corners do Sum := Sum + Distance(Units[Nearest(Corner)], Corner);
                if (Target >= 0) and (Sum >= Least) then continue;
                Target := T;
                Least := Sum;
            end;
        if Target >= 0 then
            for Corner in Triangles[Target].Corners do
            begin
                if UnitCount = 0 then break;
                Best := Nearest(Corner);
                House := Units[Best];
                Remove(Best);
                if House = Corner then continue;
                Command('MOVE');
                Write(' ', House, ' ', Corner, ' 1');
            end;
        if not HasCommand then Write('WAIT');
        WriteLn;
        Flush(Output);

        // Where to start: more than three units never walk; let them capture other triangles at the same time. A
        // straight way is not always the shortest one along the paths. And look where the opponent stands first.
    end;
end.
