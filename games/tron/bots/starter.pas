// A first Tron bot: it rides to a random free cell. Read, change, win.
program Tron;

uses SysUtils;

const
    Width = 30;
    Height = 20;
    Nobody = -1;
    Names: array[0..3] of string = ('UP', 'DOWN', 'LEFT', 'RIGHT');
    DX: array[0..3] of integer = (0, 0, -1, 1);
    DY: array[0..3] of integer = (-1, 1, 0, 0);

var
    Trails: array[0..Width - 1, 0..Height - 1] of integer; // whose trail is there

// Gives all cells of one owner to another.
procedure Replace(Owner, Heir: integer);
var
    X, Y: integer;
begin
    for X := 0 to Width - 1 do
        for Y := 0 to Height - 1 do
            if Trails[X, Y] = Owner then Trails[X, Y] := Heir;
end;

function IsFree(X, Y: integer): boolean;
begin
    Result := (0 <= X) and (X < Width) and (0 <= Y) and (Y < Height) and (Trails[X, Y] = Nobody);
end;

var
    PlayerCount, Me, Player, X0, Y0, X, Y, MyX, MyY, Way, WayCount: integer;
    Ways: array[0..3] of integer;
begin
    RandSeed := longint(GetTickCount64); // Randomize knows whole seconds only: bots that start together would be alike
    Replace(0, Nobody);

    while not Eof do
    begin
        ReadLn(PlayerCount, Me);
        for Player := 0 to PlayerCount - 1 do
        begin
            ReadLn(X0, Y0, X, Y); // where its trail begins, and where it is now
            if X = -1 then
                Replace(Player, Nobody) // it is out, and its trail is gone
            else
            begin
                Trails[X0, Y0] := Player;
                Trails[X, Y] := Player;
            end;
            if Player = Me then
            begin
                MyX := X;
                MyY := Y;
            end;
        end;

        WayCount := 0;
        for Way := 0 to 3 do
            if IsFree(MyX + DX[Way], MyY + DY[Way]) then
            begin
                Ways[WayCount] := Way;
                WayCount := WayCount + 1;
            end;
        if WayCount = 0 then WriteLn('UP') else WriteLn(Names[Ways[Random(WayCount)]]);
        Flush(Output);

        // Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
        // there, and take the way with the most.
    end;
end.
