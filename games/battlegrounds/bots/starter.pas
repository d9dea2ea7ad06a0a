// A first bot for Conway's Battlegrounds: it lands with its team and looks for cells with 2 or 3 live neighbours.
// It speaks the line protocol of the rules page: a block of lines for each call, one line back.
program Battlegrounds;

uses SysUtils;

const
    Side = 25;
    Middle = 12; // I am in the middle of what I see
    Ways: array[1..8] of integer = (1, 2, 3, 4, 6, 7, 8, 9); // 5 is the bot itself

var
    View: array[0..Side - 1] of string; // '0' dead, '1' alive, '2' to '5' one of us, 'x' an opponent

function BesideX(X, Way: integer): integer;
begin
    Result := X + (Way - 1) mod 3 - 1;
end;

function BesideY(Y, Way: integer): integer;
begin
    Result := Y + (Way - 1) div 3 - 1;
end;

function IsDead(X, Y: integer): boolean;
begin
    Result := View[Y][X + 1] = '0';
end;

// How many of the eight neighbours are alive. Bots count as alive.
function LiveNeighbours(X, Y: integer): integer;
var
    Way: integer;
begin
    Result := 0;
    for Way in Ways do
        if not IsDead(BesideX(X, Way), BesideY(Y, Way)) then Result := Result + 1;
end;

// Prints actions, and perhaps a message.
procedure Choose;
var
    Alive, Missing, Way: integer;
begin
    Alive := LiveNeighbours(Middle, Middle);
    if Alive in [2, 3] then exit; // the generation at the end of this turn will not hurt

    // Step to a dead cell where it will not hurt. My own cell is dead once I have left it, so it counts no more.
    for Way in Ways do
        if IsDead(BesideX(Middle, Way), BesideY(Middle, Way)) then
            if LiveNeighbours(BesideX(Middle, Way), BesideY(Middle, Way)) - 1 in [2, 3] then
            begin
                Write(Way, ' say 4'); // 4 means: come here
                exit;
            end;

    // There is none. Alone? Then wake up neighbours until there are three.
    Missing := 3 - Alive;
    for Way in Ways do
        if (Missing > 0) and IsDead(BesideX(Middle, Way), BesideY(Middle, Way)) then
        begin
            Write(-Way, ' ');
            Missing := Missing - 1;
        end;
end;

procedure SkipLines(Count: integer);
begin
    for Count := Count downto 1 do ReadLn;
end;

var
    Call: string;
    Words: TStringArray;
    Number, Size, Mate, MateX, MateY, X, Y, Row, Count: integer;
    IsMain: boolean;
begin
    while not Eof do
    begin
        ReadLn(Call);
        Words := Call.Split([' ']);
        if Words[0] = 'init' then
        begin
            Number := StrToInt(Words[1]); // mine, 2 to 5
            Size := StrToInt(Words[2]); // the board's
            SkipLines(Size); // the board before anybody is on it
            Write('ok');
        end
        else if Words[0] = 'parachute' then // ten times: where do I land?
        begin
            X := -1;
            for Row := 1 to 4 do
            begin
                ReadLn(Mate, MateX, MateY); // what each of us said last, or -1 -1
                if (X >= 0) or (MateX < 0) then continue;
                X := MateX;
                Y := MateY;
            end;
            if X < 0 then
            begin
                X := Size div 2;
                Y := Size div 2;
            end;
            Write(X, ' ', Y);
        end
        else // 25 times start, while nothing lives or dies; then main, each turn until the end
        begin
            IsMain := Words[0] = 'main'; // the words after it: the turn, and my hp
            ReadLn(X, Y); // where I am on the board
            for Row := 0 to Side - 1 do ReadLn(View[Row]);
            if IsMain then
            begin
                ReadLn(Count);
                SkipLines(Count); // number, x, y of us who live
            end;
            ReadLn(Count);
            SkipLines(Count); // number and text, since last turn
            if IsMain then Choose;
        end;
        WriteLn;
        Flush(Output);
    end;
end.

// Where to start: count births. A bot with the wrong number of neighbours is not hurt while a cell is born beside it. Then
// look ahead: play a generation of Life on the view for each thing that you could do, and do what hurts least.
