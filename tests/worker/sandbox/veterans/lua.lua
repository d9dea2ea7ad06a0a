while true do
    local turn = tonumber(io.read())
    io.stderr:write("turn " .. turn .. "\n")
    print("REPLY " .. turn)
end
